#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Speaks MCP over standard input and output for agents that start their servers as programs. Every call goes to the gateway.
enableCompileCache();
const { processEnvironment, readGatewayAccess } = await import('../config.ts');
const { bridgeCalls } = await import('./bridge-calls.ts');
await bridgeCalls({ input: process.stdin, output: process.stdout, access: readGatewayAccess(processEnvironment) });
