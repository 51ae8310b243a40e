/// The version of this library and of `docpkg`.
public enum FilePackagesVersion {
  /// The version, such as `0.3.0`.
  public static let current = "0.3.0"
}
