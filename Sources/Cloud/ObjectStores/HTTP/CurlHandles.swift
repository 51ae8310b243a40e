import CCurl
import FoundationEssentials

/// A request of libcurl: its options, then what is known of its answer.
struct CurlEasy: ~Copyable {
  fileprivate let handle: UnsafeMutableRawPointer
  private var fields: UnsafeMutablePointer<curl_slist>?

  init() {
    // Swift, too, ends a process that has no memory.
    guard let handle = curl_easy_init() else { preconditionFailure("libcurl has no memory") }
    self.handle = handle
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(fields)
  }

  // MARK: Options

  func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
    try check(ccurl_set_long(handle, option, value))
  }

  func set(_ option: CURLoption, offset value: Int) throws(HTTPFailure) {
    try check(ccurl_set_offset(handle, option, value))
  }

  /// Sets a text; nil stands for none. libcurl makes a copy.
  func set(_ option: CURLoption, _ value: String?) throws(HTTPFailure) {
    try check(ccurl_set_string(handle, option, value))
  }

  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) throws(HTTPFailure) {
    try check(ccurl_set_pointer(handle, option, value))
  }

  func set(reader: @escaping curl_read_callback) throws(HTTPFailure) {
    try check(ccurl_set_reader(handle, CURLOPT_READFUNCTION, reader))
  }

  func set(_ option: CURLoption, writer: @escaping curl_write_callback) throws(HTTPFailure) {
    try check(ccurl_set_writer(handle, option, writer))
  }

  func set(seeker: @escaping curl_seek_callback) throws(HTTPFailure) {
    try check(ccurl_set_seeker(handle, seeker))
  }

  func set(starter: @escaping curl_prereq_callback) throws(HTTPFailure) {
    try check(ccurl_set_starter(handle, starter))
  }

  func set(opener: @escaping curl_opensocket_callback) throws(HTTPFailure) {
    try check(ccurl_set_opener(handle, opener))
  }

  /// Sets the lines of the header.
  mutating func set(fields lines: [String]) throws(HTTPFailure) {
    for line in lines {
      guard let list = curl_slist_append(fields, line) else { return try check(CURLE_OUT_OF_MEMORY) }
      fields = list
    }
    try set(CURLOPT_HTTPHEADER, fields.map { UnsafeMutableRawPointer($0) })
  }

  private func check(_ code: CURLcode) throws(HTTPFailure) {
    if code != CURLE_OK { throw .unreachable(String(cString: curl_easy_strerror(code))) }
  }

  // MARK: Answer

  /// A number that libcurl knows; 0 if it does not.
  func number(_ info: CURLINFO) -> Int {
    var value = 0
    return ccurl_get_long(handle, info, &value) == CURLE_OK ? value : 0
  }

  /// The length of the body in bytes as the header says it; -1 if it does not.
  var announcedLength: Int {
    var value: curl_off_t = -1
    return ccurl_get_offset(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &value) == CURLE_OK ? value : -1
  }

  /// The header fields of the last answer, without those of a proxy. Names are in lower case. The values of a name that
  /// comes several times have a comma between them.
  var answerFields: [String: String] {
    var fields: [String: String] = [:]
    var last: UnsafeMutablePointer<curl_header>?
    while let field = curl_easy_nextheader(handle, UInt32(CURLH_HEADER), -1, last) {
      last = field
      let (name, value) = (String(cString: field.pointee.name), String(cString: field.pointee.value))
      fields[name.lowercased(), default: value] = fields[name.lowercased()].map { $0 + ", " + value } ?? value
    }
    return fields
  }
}

/// The requests of libcurl that run at once, and the connections that stay open after them.
///
/// It is `Sendable`: `wake` may be called on any thread, as curl_multi_wakeup(3) says, and `CurlLoop` makes the other
/// calls one after the other.
struct CurlMulti: ~Copyable, @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer

  /// - Parameter connections: the number of connections that stay open.
  init(connections: Int) {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let handle = curl_multi_init(),
      ccurl_multi_set_long(handle, CURLMOPT_MAXCONNECTS, connections) == CURLM_OK,
      ccurl_multi_set_long(handle, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING)) == CURLM_OK
    else { preconditionFailure("libcurl has no memory") }
    self.handle = handle
  }

  deinit { curl_multi_cleanup(handle) }

  /// Begins a request.
  func add(_ easy: borrowing CurlEasy) throws(HTTPFailure) {
    try check(curl_multi_add_handle(handle, easy.handle))
  }

  /// Ends a request. Its connection closes unless the answer is complete.
  func remove(_ easy: borrowing CurlEasy) {
    _ = curl_multi_remove_handle(handle, easy.handle)  // It fails only for a handle that is not there.
  }

  /// Moves all bytes that can be moved now.
  func perform() throws(HTTPFailure) {
    var running: Int32 = 0
    try check(curl_multi_perform(handle, &running))
  }

  /// Waits until bytes can be moved, until a time of libcurl is over, or for `wake`.
  func wait() throws(HTTPFailure) { try check(curl_multi_poll(handle, nil, 0, 60_000, nil)) }

  /// Ends the waiting, now or the next time.
  func wake() {
    _ = curl_multi_wakeup(handle)  // It fails only for a handle that is not there.
  }

  /// Returns a request that has ended: its `CURLOPT_PRIVATE` and its outcome.
  func takeEnded() -> (number: Int, code: CURLcode)? {
    var rest: Int32 = 0
    while let message = curl_multi_info_read(handle, &rest) {
      var tag: UnsafeMutableRawPointer?
      guard message.pointee.msg == CURLMSG_DONE,
        ccurl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &tag) == CURLE_OK
      else { continue }
      return (Int(bitPattern: tag), message.pointee.data.result)
    }
    return nil
  }

  private func check(_ code: CURLMcode) throws(HTTPFailure) {
    if code != CURLM_OK { throw .unreachable(String(cString: curl_multi_strerror(code))) }
  }
}
