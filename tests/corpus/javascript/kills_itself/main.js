const { writeSync } = require('fs');

writeSync(1, 'bye\n');
process.kill(process.pid, 'SIGKILL');
for (;;);
