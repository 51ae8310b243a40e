// A model that imports SwiftUI compiles with this module as it is. It has no views.
@_exported public import AppleDocuments

/// A model that is read and written as snapshots.
///
/// `AppleDocuments` does not have this name, since the type that opens a `FileDocument` has it.
public typealias Document = ReadableDocument & WritableDocument
