// The names that Foundation has on Apple's systems and not on Linux. A target gets them in each file with
// `-import-module AppleFoundation`.
@_exported public import Foundation
@_exported public import class AppleDocuments.FileWrapper
@_exported public import typealias AppleDocuments.NSFileAccessIntent
@_exported public import class AppleDocuments.NSFileCoordinator
@_exported public import protocol AppleDocuments.NSFilePresenter
@_exported public import class AppleDocuments.NSFileVersion
@_exported public import class AppleDocuments.NSUserActivity
@_exported public import struct AppleDocuments.Selector
@_exported public import class AppleDocuments.UndoManager
