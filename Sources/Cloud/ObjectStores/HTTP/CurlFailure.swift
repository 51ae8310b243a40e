import CCurl
import Glibc

extension HTTPFailure {
  /// Makes the failure of an outcome of libcurl, whatever the request was.
  init(_ code: CURLcode) {
    self =
      switch code {
      case CURLE_UNSUPPORTED_PROTOCOL: .malformed("it does not begin as one")
      case CURLE_URL_MALFORMAT: .unreachable("the name of the server is not valid")
      case CURLE_COULDNT_RESOLVE_PROXY: .unreachable("the proxy has no address")
      case CURLE_COULDNT_RESOLVE_HOST: .unreachable("the server's name has no address")
      case CURLE_COULDNT_CONNECT: .unreachable("the server does not take the connection")
      case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_FUNCTION_ARGUMENT: .malformed("its header cannot be read")
      // libcurl has so much room for a line of a header.
      case CURLE_OUT_OF_MEMORY: .malformed("its header does not end")
      case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
        .unreachable("the connection ended within the answer")
      case CURLE_GOT_NOTHING, CURLE_ABORTED_BY_CALLBACK: .unreachable("there is no answer")
      case CURLE_SEND_ERROR: .unreachable("the server closed the connection")
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_FILESIZE_EXCEEDED: .tooLarge
      case CURLE_SSL_CONNECT_ERROR:
        .unreachable("TLS failed; if the server does not encrypt, use an http address")
      case CURLE_PEER_FAILED_VERIFICATION: .untrusted("it is for another name")
      case CURLE_SSL_CACERT_BADFILE: .untrusted("the file of the authorities has no certificates")
      default: .unreachable(String(cString: curl_easy_strerror(code)))
      }
  }

  /// Makes the failure of a request, with what is known of it.
  init(_ code: CURLcode, _ easy: borrowing CurlEasy, _ order: CurlOrder) {
    self.init(code)
    let proxyStatus = easy.number(CURLINFO_HTTP_CONNECTCODE)
    let verdict = easy.number(CURLINFO_SSL_VERIFYRESULT)
    switch code {
    case CURLE_RECV_ERROR where proxyStatus >= 300:
      self = .unreachable("the proxy of \(order.proxy?.variable ?? "") answers with status \(proxyStatus)")
    case CURLE_COULDNT_RESOLVE_HOST:
      self = .unreachable("'\(HTTPRequest.unbracketed(order.request.host))' has no address")
    case CURLE_COULDNT_CONNECT where easy.number(CURLINFO_OS_ERRNO) != 0:
      self = .unreachable(String(cString: strerror(Int32(easy.number(CURLINFO_OS_ERRNO)))))
    case CURLE_PEER_FAILED_VERIFICATION where verdict > 1:
      self = .untrusted(Self.certificateReasons[verdict] ?? "X.509 error \(verdict)")
    case CURLE_SSL_CACERT_BADFILE:
      self = .untrusted(order.authorities.unreadable)
    default: break
    }
  }

  /// The reasons for which libssl refuses a certificate, by its numbers (X509_V_ERR_…).
  private static let certificateReasons = [
    9: "it is not valid yet", 10: "it has expired", 18: "it has signed itself",
    19: "an authority that the system does not know has signed it",
    20: "an authority that the system does not know has signed it",
    21: "an authority that the system does not know has signed it", 23: "it was revoked",
    24: "one of its authorities is none", 26: "it is for another purpose",
  ]
}
