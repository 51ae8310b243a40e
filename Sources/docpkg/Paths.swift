import ArgumentParser

// Arguments that are paths. An empty one is a usage error in every command: a library takes it for the working directory,
// which a script with an unset variable does not mean.

extension Argument where Value == String {
  /// A path.
  init(path help: ArgumentHelp) {
    self.init(help: help, completion: .file(), transform: checkedPath)
  }
}

extension Argument where Value == String? {
  /// A path that may be left out.
  init(path help: ArgumentHelp) {
    self.init(help: help, completion: .file(), transform: checkedPath)
  }
}

extension Argument where Value == [String] {
  /// One path or more.
  init(paths help: ArgumentHelp) {
    self.init(help: help, completion: .file(), transform: checkedPath)
  }

  /// Paths that may be left out.
  init(wrappedValue: [String], paths help: ArgumentHelp) {
    self.init(wrappedValue: wrappedValue, help: help, completion: .file(), transform: checkedPath)
  }
}

extension Option where Value == String? {
  /// An option whose value is a path.
  init(name: NameSpecification = .long, path help: ArgumentHelp) {
    self.init(name: name, help: help, completion: .file(), transform: checkedPath)
  }
}

extension Option where Value == String {
  /// An option whose value is a path, with a path for a command line that lacks it.
  init(wrappedValue: String, path help: ArgumentHelp) {
    self.init(wrappedValue: wrappedValue, help: help, completion: .file(), transform: checkedPath)
  }
}

extension Option where Value == [String] {
  /// An option that may be given more than once, each time with a path.
  init(wrappedValue: [String], name: NameSpecification = .long, paths help: ArgumentHelp) {
    self.init(
      wrappedValue: wrappedValue, name: name, help: help, completion: .file(), transform: checkedPath)
  }
}

@Sendable
private func checkedPath(_ argument: String) throws -> String {
  if argument.isEmpty { throw ValidationError("the path is empty.") }
  return argument
}
