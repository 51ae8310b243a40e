import ArgumentParser
import CommandSupport
import FoundationEssentials
import ObjectStores

extension Cloud {
  struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "probe",
      abstract: "Check whether a store keeps the promises that a container needs.",
      discussion: """
        Eight writers make one object at once, and one of them must win. What was stored must be read and listed at \
        once, in order. The objects of the probe are removed. Some S3 services ignore the condition for a new object \
        without an error: this command finds them.

        Examples:
          docpkg cloud probe s3://documents --endpoint https://s3.example.org
          docpkg cloud probe /media/disk/documents --json

        Exit status: 0 the store keeps its promises; 1 it breaks one; 2 it could not be probed; 64 usage.
        """)

    @Argument(help: "The store: s3://bucket/prefix, or the path of a folder.", completion: .directory)
    var address: String

    @OptionGroup var service: ServiceOptions

    @Option(help: ArgumentHelp("The number of races.", valueName: "n"))
    var rounds = 4

    @Flag(help: "Print the result as JSON.")
    var json = false

    func validate() throws {
      if !(1...1_000).contains(rounds) { throw ValidationError("--rounds is a number from 1 to 1000.") }
    }

    func run() async throws {
      let (address, rounds) = (StoreAddress(address, service), rounds)
      let (place, report) = try await interruptible(saying: "objects below probe/ may remain") {
        let store = RetryingStore(CountingStore(try address.open()))
        return (store.place, try await StoreProbe(store).run(rounds: rounds))
      }
      if json {
        try printJSON(
          Result(
            place: place, sound: report.isSound, violations: report.violations.map(\.rawValue),
            calls: report.calls))
      } else {
        var output = StandardOutput()
        output.line("\(place): \(report)")
      }
      if !report.isSound { throw ExitCode(ExitStatus.different) }
    }

    private struct Result: Encodable {
      var place: String
      var sound: Bool
      var violations: [String]
      var calls: Int
    }
  }
}
