#!/usr/bin/env node
import module from 'node:module';

// Speaks MCP over standard input and output for agents that start their servers as programs. Every call goes to the gateway.
// Node 20 has none.
module.enableCompileCache?.();
const { processEnvironment, readGatewayAccess } = await import('../config.ts');
const { bridgeCalls } = await import('./bridge-calls.ts');
await bridgeCalls({ input: process.stdin, output: process.stdout, access: readGatewayAccess(processEnvironment) });
