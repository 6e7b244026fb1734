#include "api/rest/main.hpp"

int main(int argc, char** argv) { return lazaret::rest::main(argc, argv); }
