#include "api/rest/entrance.hpp"

#include "api/rest/connection_answer.hpp"
#include "api/rest/connection_upload.hpp"

namespace lazaret::rest {

void enter(PlainStream stream, Hall& hall, Gate gate) {
  std::make_shared<Connection<PlainStream>>(std::move(stream), hall, std::move(gate))->start();
}

}  // namespace lazaret::rest
