#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/rest/desk.hpp"
#include "api/rest/visitor.hpp"

namespace lazaret::rest {

/// Who may use a route: everybody that can connect, or only those who are let in.
enum class Access { anyone, admitted };

/// One operation of docs/openapi.json.
struct Route {
  std::string_view method;
  std::string_view path;  ///< "/v1/runs/{id}": a name in braces stands for one segment
  Access access;
  void (*serve)(Desk& desk, const VisitorPointer& visitor);
  std::span<const std::string_view> query = {};  ///< names of the parameters that it takes
  std::string_view streams = {};  ///< type of the bodies that it takes as they come, of any length
};

[[nodiscard]] std::span<const Route> routes();

/// The route for a request, its parameters filled in, or the problem: 404, 405. HEAD goes where GET
/// does; its answer has no body.
[[nodiscard]] const Route* route_of(Request& request, Problem& problem);

}  // namespace lazaret::rest
