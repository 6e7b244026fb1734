#!/usr/bin/env bash
echo "waiting for the service"
until [ -e service.ready ]; do
  sleep 600
done
echo "never printed"
