const settings = { enabled: false };
console.log('feature is', settings.enabled ? 'on' : 'off');
if (!settings.enabled) return;
console.log('never printed');
