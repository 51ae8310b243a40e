// A model that imports SwiftUI compiles with this module as it is. It has no views.
@_exported public import AppleDocuments
