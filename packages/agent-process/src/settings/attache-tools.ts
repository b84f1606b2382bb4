/** The tools of Attaché's own MCP server, for programs whose settings name the ones that may run. */
export const ATTACHE_TOOLS = [
  'attachments_list',
  'attachment_describe',
  'resource_view',
  'attachment_file',
  'attachment_save_output',
] as const;
