/// A file of a user interface on Apple's systems, for its name only.
public enum NSNib {
  /// The name of the file.
  public typealias Name = String
}

/// The status code of a function that a program does not have, as the first version of a subclass throws it.
public let unimpErr = -4
