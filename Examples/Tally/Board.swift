import GRDB
import OpenCombine
import SwiftUI

/// Shows the latest sum of a tally. Its file imports OpenCombine, whose names are those that SwiftUI exports.
@MainActor
final class Board: ObservableObject {
  @Published private(set) var rows: [String] = []
  private var subscriptions: Set<AnyCancellable> = []

  init(_ tally: Tally) {
    tally.$sum.sink { [weak self] in self?.rows.append("\($0)") }.store(in: &subscriptions)
  }

  /// Returns the rows as a database adds them up.
  func total() throws -> Int {
    try DatabaseQueue().read { [rows] database in
      try rows.reduce(0) { try $0 + (Int.fetchOne(database, sql: "SELECT ? + 0", arguments: [$1]) ?? 0) }
    }
  }
}
