// One import gives a model all the names that it needs. Each name of `Documents` and `FilePackages` is exported by
// itself, so that a type `Document` of the model's own program meets no other one.
@_exported public import Foundation
@_exported public import Observation
@_exported public import enum Documents.DocumentChangeKind
@_exported public import enum Documents.DocumentSaveOperation
@_exported public import struct Documents.DocumentState
@_exported public import protocol Documents.FileDocument
@_exported public import struct Documents.FileDocumentReadConfiguration
@_exported public import struct Documents.FileDocumentWriteConfiguration
@_exported public import struct UniformTypes.UTTagClass
@_exported public import struct UniformTypes.UTType
@_exported public import class FilePackages.FileWrapper
@_exported public import class OpenCombine.AnyCancellable
@_exported public import struct OpenCombine.AnyPublisher
@_exported public import class OpenCombine.CurrentValueSubject
@_exported public import protocol OpenCombine.ObservableObject
@_exported public import class OpenCombine.ObservableObjectPublisher
@_exported public import class OpenCombine.PassthroughSubject
@_exported public import struct OpenCombine.Published
@_exported public import protocol OpenCombine.Publisher
