internal import CCurl

/// Request headers in libcurl's form, made once and shared by many requests.
///
/// `@unchecked Sendable`: the list is not changed after `init`, and libcurl only reads it.
package final class HeaderList: @unchecked Sendable {
  let list: UnsafeMutablePointer<curl_slist>?

  /// Lines as they are sent; `Expect:` suppresses a header that libcurl would add.
  package init(_ lines: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    // An append that fails for want of memory leaves the list as it was.
    for line in lines { list = curl_slist_append(list, line) ?? list }
    self.list = list
  }

  deinit { curl_slist_free_all(list) }
}
