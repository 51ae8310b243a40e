import ArgumentParser

/// The script with which a shell completes the command line.
enum CompletionScript {
  /// Returns the script of ArgumentParser, which also completes the names of commands behind `help`.
  static func script(for shell: CompletionShell) -> String {
    let script = Docpkg.completionScript(for: shell)
    let names = CommandNames.all.joined(separator: " ")
    switch shell {
    case .bash:
      let function = "_docpkg_help() {\n"
      return script.replacing(
        function, with: function + "    COMPREPLY+=($(compgen -W '\(names)' -- \"${cur}\"))\n")
    case .zsh: return script.replacing("'*:subcommands:'", with: "'*:subcommands:(\(names))'")
    case .fish:
      return script
        + "\ncomplete -c 'docpkg' -n '__docpkg_should_offer_completions_for_positional \"docpkg help\" -eq 1' "
        + "-fa '\(names)'\n"
    default: return script
    }
  }
}
