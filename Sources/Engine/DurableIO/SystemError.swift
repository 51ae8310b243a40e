package import SystemPackage

/// One failed system call: its name, its subject and the system's reason.
///
/// The layers above add the document and the child; this type knows only the call's arguments.
package struct SystemError: Error, Hashable, Sendable {
  /// The system call, in the words of its manual page.
  package var call: String
  /// The name in the call's arguments; nil if it has only a descriptor.
  package var name: FileName?
  /// The system's reason.
  package var code: Errno

  package init(_ call: String, _ name: FileName? = nil, code: Errno) {
    self.call = call
    self.name = name
    self.code = code
  }

  /// Whether a node on the way is gone, or is no directory.
  package var isAbsence: Bool {
    [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(code)
  }
}

extension SystemError: CustomStringConvertible {
  package var description: String {
    let subject = name.map { " '\($0.display)'" } ?? ""
    return "\(code.description) (\(call)\(subject))"
  }
}
