import CCurl
import Glibc

extension HTTPFailure {
  /// Makes the failure of a request by the outcome that libcurl gives it. No text of libcurl about the request counts.
  init(_ code: CURLcode, _ easy: borrowing CurlEasy, _ order: CurlOrder) {
    let proxyStatus = easy.number(CURLINFO_HTTP_CONNECTCODE)
    let systemError = Int32(easy.number(CURLINFO_OS_ERRNO))
    let verdict = easy.number(CURLINFO_SSL_VERIFYRESULT)
    self =
      switch code {
      case CURLE_COULDNT_RESOLVE_PROXY: .unreachable("the proxy has no address")
      case CURLE_COULDNT_RESOLVE_HOST:
        .unreachable("'\(HTTPRequest.unbracketed(order.request.host))' has no address")
      case CURLE_COULDNT_CONNECT where systemError != 0: .unreachable(String(cString: strerror(systemError)))
      case CURLE_COULDNT_CONNECT: .unreachable("the server does not take the connection")
      case CURLE_RECV_ERROR where proxyStatus >= 300:
        .unreachable("the proxy of \(order.proxy?.variable ?? "") answers with status \(proxyStatus)")
      case CURLE_SSL_CONNECT_ERROR:
        .unreachable("TLS failed; if the server does not encrypt, use an http address")
      case CURLE_PEER_FAILED_VERIFICATION:
        .untrusted(Self.certificateReasons[verdict] ?? "X.509 error \(verdict)")
      case CURLE_SSL_CACERT_BADFILE: .untrusted(order.authorities.unreadable)
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_SEND_ERROR: .unreachable("the server closed the connection")
      // A callback ends a request that must not be sent again.
      case CURLE_GOT_NOTHING, CURLE_ABORTED_BY_CALLBACK: .unreachable("there is no answer")
      case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
        .unreachable("the connection ended within the answer")
      case CURLE_FILESIZE_EXCEEDED: .tooLarge
      case CURLE_UNSUPPORTED_PROTOCOL: .malformed("it does not begin as one")
      case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_FUNCTION_ARGUMENT: .malformed("its header cannot be read")
      // A line of a header has a largest size.
      case CURLE_OUT_OF_MEMORY: .malformed("its header does not end")
      default: .unreachable(String(cString: curl_easy_strerror(code)))
      }
  }

  /// The reasons for which a certificate is refused, by the numbers of libssl (X509_V_ERR_…). If only the name is another
  /// one, libcurl has 0 or 1.
  private static let certificateReasons = [
    0: "it is for another name", 1: "it is for another name", 9: "it is not valid yet", 10: "it has expired",
    18: "it has signed itself", 19: unknownAuthority, 20: unknownAuthority, 21: unknownAuthority,
    23: "it was revoked", 24: "one of its authorities is none", 26: "it is for another purpose",
  ]
  private static let unknownAuthority = "an authority that the system does not know has signed it"
}
