import type { AgentTool } from './agent-tool.ts';
import { describeTool, listTool } from './list-attachments-tool.ts';
import { saveTool } from './save-output-tool.ts';
import { viewTool } from './view-resource-tool.ts';

/** The tools that every agent gets. */
export const agentTools: readonly AgentTool[] = [listTool, describeTool, viewTool, saveTool];
