// One import gives a program the names of the cloud beside those of a document.
@_exported public import AppleDocuments
