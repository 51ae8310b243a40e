import GRDB
import OpenCombine
import SwiftUI
import os.log

/// Shows the latest sum of a tally. Its file imports OpenCombine, whose names are those that SwiftUI exports.
@MainActor
final class Board: ObservableObject {
  @Published private(set) var rows: [String] = []
  private var subscriptions: Set<AnyCancellable> = []

  init(_ tally: Tally) {
    tally.$sum.sink { [weak self] sum in
      os_log("the sum is %d", type: .debug, sum)
      self?.rows.append("\(sum)")
    }
    .store(in: &subscriptions)
  }

  /// Returns the rows as a database adds them up.
  func total() throws -> Int {
    try DatabaseQueue().read { [rows] database in
      try rows.reduce(0) { try $0 + (Int.fetchOne(database, sql: "SELECT ? + 0", arguments: [$1]) ?? 0) }
    }
  }
}
