import FilePackages
import FoundationEssentials

/// Reads a `Metadata.plist`, and checks that readable metadata can be written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMetadata(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard let metadata = try? PackageMetadata(decoding: Data(bytes)) else { return 0 }
  do {
    let again = try PackageMetadata(decoding: metadata.encoded())
    precondition(again.revision == metadata.revision && again.fileCount == metadata.fileCount)
  } catch PackageMetadata.Problem.tooLarge {
    // The library writes more space than other programs.
  } catch {
    preconditionFailure("what was read cannot be written: \(error)")
  }
  return 0
}
