import DurableIO
import FoundationEssentials
import SystemPackage

/// The contents of a package for archives.
package enum Mixture: String, CaseIterable, Sendable {
  /// Lines of words, which compress well.
  case text
  /// Bytes that do not compress, like pictures.
  case pictures
  /// Three quarters pictures, one quarter text.
  case mix

  /// Makes a folder of about `bytes` bytes: texts of 256 KiB and pictures of 800 KiB, the same in every run.
  func make(_ name: FileName, bytes: Int, in folder: FilePath) throws(SystemError) {
    let disk = PosixDisk()
    let parent = try disk.openDirectory(at: folder)
    try disk.makeDirectory(name, in: parent, mode: 0o777)
    let package = try disk.openDirectory(name, in: parent)
    var random = RandomBytes(seed: 7)
    let text = self == .text ? bytes : self == .mix ? bytes / 4 : 0
    try fill("Notes", "txt", text, 256 << 10, in: package, on: disk) { Self.words($0, &random) }
    try fill("Images", "jpg", bytes - text, 800 << 10, in: package, on: disk) { count in
      RandomBytes(seed: random.next()).data(count: count)
    }
  }

  private func fill(
    _ name: FileName, _ suffix: String, _ bytes: Int, _ size: Int, in package: borrowing OwnedDescriptor,
    on disk: PosixDisk, contents: (Int) -> Data
  ) throws(SystemError) {
    if bytes == 0 { return }
    try disk.makeDirectory(name, in: package, mode: 0o777)
    let folder = try disk.openDirectory(name, in: package)
    for number in 0..<max(1, bytes / size) {
      // Nothing needs the open file.
      _ = try disk.makeFile(FileName("\(number).\(suffix)"), contents(size), in: folder)
    }
  }

  private static let vocabulary = """
    the hut stands above three valleys and rain came over the pass at noon we ate bread cheese apples path snow river \
    stone bridge map letter window lamp evening morning north wind cloud bird field
    """.split(separator: " ").map { Array($0.utf8) }

  /// Returns lines of words in a random order, with a number now and then.
  private static func words(_ count: Int, _ random: inout RandomBytes) -> Data {
    var text: [UInt8] = []
    text.reserveCapacity(count + 32)
    while text.count < count {
      for _ in 0..<12 {
        let value = random.next()
        text += vocabulary[Int(value % UInt64(vocabulary.count))]
        if value >> 32 % 100 < 8 { text += Array("\(value >> 40 % 1000)".utf8) }
        text.append(UInt8(ascii: " "))
      }
      text.append(UInt8(ascii: "\n"))
    }
    return Data(text.prefix(count))
  }
}
