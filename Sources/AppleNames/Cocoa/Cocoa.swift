// A model that imports Cocoa compiles with this module as it is.
@_exported public import AppKit
