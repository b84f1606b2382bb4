throw new Error('A thread that reads nothing.');
