import DurableIO
import FileTrees

extension ByteProgress {
  /// - Parameter copiesFiles: whether reused files are copied.
  package func begin(_ plan: SavePlan, copiesFiles: Bool) {
    let total = plan.steps.reduce(UInt64(0)) { total, step in
      switch step.action {
      case .write(let contents): total + (contents.size ?? 0)
      case .reuse(let source) where copiesFiles: total + (source.status?.size ?? 0)
      default: total
      }
    }
    begin(total: total)
  }
}
