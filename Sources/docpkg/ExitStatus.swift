/// The program's exit status, with the same meaning for every command.
enum ExitStatus {
  static let different: Int32 = 1
  static let failed: Int32 = 2
  static let usage: Int32 = 64

  static let help = """
    Exit status: 0 done; 1 differences, damage or conflict found; 2 failed, nothing lost; 64 usage.
    """
}
