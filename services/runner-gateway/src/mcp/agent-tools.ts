import type { SocketOwner } from '../granted/socket-owner.ts';
import type { AgentTool } from './agent-tool.ts';
import { fileTool } from './get-file-tool.ts';
import { describeTool, listTool } from './list-attachments-tool.ts';
import { saveTool } from './save-output-tool.ts';
import { viewTool } from './view/view-resource-tool.ts';

const agentTools: readonly AgentTool[] = [listTool, describeTool, viewTool, fileTool, saveTool];

/** The tools that an agent gets. A path is of no use to one whose program may run no tools of its own. */
export function toolsFor({ hasOwnTools = false }: Pick<SocketOwner, 'hasOwnTools'>): readonly AgentTool[] {
  return agentTools.filter(({ needsOwnTools = false }) => hasOwnTools || !needsOwnTools);
}
