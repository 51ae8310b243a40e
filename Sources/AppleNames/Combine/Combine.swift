// A model that imports Combine compiles with this module, as far as it observes objects and properties.
@_exported public import class AppleDocuments.AnyCancellable
@_exported public import struct AppleDocuments.AnyPublisher
@_exported public import class AppleDocuments.CurrentValueSubject
@_exported public import protocol AppleDocuments.ObservableObject
@_exported public import class AppleDocuments.ObservableObjectPublisher
@_exported public import class AppleDocuments.PassthroughSubject
@_exported public import struct AppleDocuments.Published
@_exported public import protocol AppleDocuments.Publisher
