#include "api/cli/app.hpp"

int main(int argc, char** argv) { return lazaret::cli::main(argc, argv); }
