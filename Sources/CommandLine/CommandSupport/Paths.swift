package import ArgumentParser

// Arguments that are paths. An empty path is a usage error in every command. The library takes it for the working
// directory, which a script with an unset variable does not mean.

extension Argument where Value == String {
  /// Makes an argument that is a path.
  package init(path help: ArgumentHelp) {
    self.init(help: help, completion: .file(), transform: checkedPath)
  }
}

extension Argument where Value == String? {
  /// Makes an optional argument that is a path.
  package init(path help: ArgumentHelp) {
    self.init(help: help, completion: .file(), transform: checkedPath)
  }
}

extension Argument where Value == [String] {
  /// Makes an argument of one path or more.
  package init(paths help: ArgumentHelp) {
    self.init(help: help, completion: .file(), transform: checkedPath)
  }

  /// Makes an argument of any number of paths.
  package init(wrappedValue: [String], paths help: ArgumentHelp) {
    self.init(wrappedValue: wrappedValue, help: help, completion: .file(), transform: checkedPath)
  }
}

extension Option where Value == String? {
  /// Makes an option whose value is a path.
  package init(name: NameSpecification = .long, path help: ArgumentHelp) {
    self.init(name: name, help: help, completion: .file(), transform: checkedPath)
  }
}

extension Option where Value == String {
  /// Makes an option whose value is a path, with a default.
  package init(wrappedValue: String, path help: ArgumentHelp) {
    self.init(wrappedValue: wrappedValue, help: help, completion: .file(), transform: checkedPath)
  }
}

extension Option where Value == [String] {
  /// Makes a repeatable option whose value is a path.
  package init(wrappedValue: [String], name: NameSpecification = .long, paths help: ArgumentHelp) {
    self.init(
      wrappedValue: wrappedValue, name: name, help: help, completion: .file(), transform: checkedPath)
  }
}

@Sendable
private func checkedPath(_ argument: String) throws -> String {
  if argument.isEmpty { throw ValidationError("the path is empty.") }
  return argument
}
