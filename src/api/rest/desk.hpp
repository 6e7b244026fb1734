#pragma once

#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "api/rest/bounds.hpp"
#include "api/rest/metrics.hpp"
#include "api/rest/readiness.hpp"
#include "api/rest/runs.hpp"
#include "api/rest/sessions.hpp"
#include "api/rest/workers.hpp"
#include "core/service.hpp"

namespace lazaret::rest {

/// What the operations work with. Borrows everything.
struct Desk {
  boost::asio::io_context& loop;
  const Bounds& bounds;
  core::Service& service;
  Runs& runs;
  Sessions& sessions;
  Workers& chores;
  Workers& makers;    ///< of sessions
  Workers& fetchers;  ///< of those whose packages may take minutes
  Workers& posts;     ///< who watch files, each for a client until that one leaves
  Workers& enders;    ///< of sessions
  Workers& signals;   ///< to programs, sent in order: each may take 100 ms
  Readiness& readiness;
  Metrics& metrics;
  std::vector<std::string> fingerprints;  ///< of the service's configuration
  bool draining = false;
};

}  // namespace lazaret::rest
