import ArgumentParser

/// An option's value of the form `NAME=VALUE`. The first `=` ends the name; `\=` stands for an `=` in the name.
struct Assignment: ExpressibleByArgument {
  var name: String
  var value: String

  init?(argument: String) {
    var name = ""
    var backslashes = 0
    for index in argument.unicodeScalars.indices {
      let scalar = argument.unicodeScalars[index]
      if scalar == "\\" {
        backslashes += 1
        continue
      }
      // Two backslashes before an `=` stand for one.
      name += String(repeating: "\\", count: scalar == "=" ? backslashes / 2 : backslashes)
      if scalar == "=" && backslashes.isMultiple(of: 2) {
        if name.isEmpty { return nil }
        let value = argument.unicodeScalars[argument.unicodeScalars.index(after: index)...]
        (self.name, self.value) = (name, String(value))
        return
      }
      backslashes = 0
      name.unicodeScalars.append(scalar)
    }
    return nil
  }
}

/// An option's value of the form `NAME=FILE`.
struct FileAssignment: ExpressibleByArgument {
  var name: String
  var file: String

  init?(argument: String) {
    guard let assignment = Assignment(argument: argument), !assignment.value.isEmpty else { return nil }
    (name, file) = (assignment.name, assignment.value)
  }
}
