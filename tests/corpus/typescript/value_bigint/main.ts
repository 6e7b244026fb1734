return { sums: [1, { total: 10n }] };
