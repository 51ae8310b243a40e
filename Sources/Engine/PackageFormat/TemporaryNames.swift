package import DurableIO
import Synchronization

/// The names of files that editors, office programs and systems make for their own use.
///
/// Such a file is no document: a search and a container leave it alone. In a package it is no copy of another child. An
/// archive's file of such a name beside a folder does not count. No part of the library removes such a file because of
/// its name, and a child that was saved under such a name is a child like any other.
public enum TemporaryNames {
  /// The patterns of this process: names in which at most one `*` stands for one or more characters, in either case.
  ///
  /// A program changes them before it opens documents.
  public static var patterns: [String] {
    get { known.withLock { $0.map(\.text) } }
    set { known.withLock { $0 = newValue.map(Pattern.init) } }
  }

  /// Returns whether a pattern matches a file's name.
  public static func contains(_ name: String) -> Bool { contains(FileName(name)) }

  /// Returns whether a pattern matches a file's name.
  package static func contains(_ name: FileName) -> Bool {
    let bytes = name.bytes.map(lowercased)
    return known.withLock { $0.contains { $0.matches(bytes) } }
  }

  // The names are a fact about the programs of this computer, as types are: so there is one list for the process.
  private static let known = Mutex(
    [
      // Emacs; vi; vim; KDE; GNOME and glib; LibreOffice; Microsoft Office; JetBrains.
      "*~", "#*#", ".#*", "4913", ".*.swp", ".*.swo", ".*.swx", ".*.kate-swp", ".goutputstream-*",
      ".~lock.*#",
      "~$*", "~wr*.tmp", "*___jb_tmp___", "*___jb_old___",
      // macOS; Windows; NFS; FUSE; Syncthing.
      ".DS_Store", "._*", "Thumbs.db", "desktop.ini", ".nfs*", ".fuse_hidden*", ".syncthing.*.tmp",
      "~syncthing~*.tmp",
    ].map(Pattern.init))

  private struct Pattern: Sendable {
    let text: String
    let start: [UInt8]
    /// The end after the `*`; nil if there is none.
    let end: [UInt8]?

    init(_ text: String) {
      self.text = text
      let parts = text.utf8.map(lowercased).split(
        separator: UInt8(ascii: "*"), maxSplits: 1, omittingEmptySubsequences: false)
      start = Array(parts[0])
      end = parts.count > 1 ? Array(parts[1]) : nil
    }

    func matches(_ name: [UInt8]) -> Bool {
      guard let end else { return name == start }
      return name.count > start.count + end.count && name.starts(with: start)
        && name.suffix(end.count).elementsEqual(end)
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
