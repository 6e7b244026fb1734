const due = new Date('31st of never');
return { task: 'invoice', due };
