// A model that imports AppKit compiles with this module as it is. It has no windows.
@_exported public import AppleDocuments
