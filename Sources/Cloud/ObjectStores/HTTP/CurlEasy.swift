import CCurl
import FoundationEssentials

/// A handle of libcurl: the options of a request, then what is known of its answer. Its connections stay open for the next
/// request.
struct CurlEasy: ~Copyable {
  private let handle: UnsafeMutableRawPointer
  private var fields: UnsafeMutablePointer<curl_slist>?

  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  init() {
    // Swift, too, ends a process that has no memory.
    guard Self.isReady, let handle = curl_easy_init() else { preconditionFailure("libcurl has no memory") }
    self.handle = handle
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(fields)
  }

  // MARK: Options

  /// Forgets the options of the last request. The connections stay open.
  mutating func reset() {
    curl_easy_reset(handle)
    curl_slist_free_all(fields)
    fields = nil
  }

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

  /// Sets the lines of the header.
  mutating func set(fields lines: [String]) throws(HTTPFailure) {
    for line in lines {
      guard let list = curl_slist_append(fields, line) else { return try check(CURLE_OUT_OF_MEMORY) }
      fields = list
    }
    try check(ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, fields))
  }

  /// Sets the functions that libcurl calls while the request runs.
  func set(
    _ context: UnsafeMutableRawPointer, starter: @escaping curl_prereq_callback,
    header: @escaping curl_write_callback, body: @escaping curl_write_callback,
    progress: @escaping curl_xferinfo_callback
  ) throws(HTTPFailure) {
    try check(ccurl_set_callbacks(handle, context, starter, header, body, progress))
  }

  private func check(_ code: CURLcode) throws(HTTPFailure) {
    if code != CURLE_OK { throw .unreachable(String(cString: curl_easy_strerror(code))) }
  }

  // MARK: Answer

  /// Sends the request with a body, and waits for the end of the answer. libcurl makes no copy of the body.
  func perform(sending body: UnsafeRawBufferPointer?) -> CURLcode {
    if let body {
      let codes = [
        ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, body.count),
        body.baseAddress.map { ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, $0) }
          ?? ccurl_set_string(handle, CURLOPT_COPYPOSTFIELDS, ""),
      ]
      if let failure = codes.first(where: { $0 != CURLE_OK }) { return failure }
    }
    return curl_easy_perform(handle)
  }

  /// A number that libcurl knows; 0 if it does not.
  func number(_ info: CURLINFO) -> Int {
    var value = 0
    return ccurl_get_long(handle, info, &value) == CURLE_OK ? value : 0
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
