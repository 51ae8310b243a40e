// A model that imports UniformTypeIdentifiers compiles with this module as it is.
@_exported public import AppleFoundation
@_exported public import struct AppleDocuments.UTTagClass
@_exported public import struct AppleDocuments.UTType
