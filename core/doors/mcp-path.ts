/** Where the MCP door stands below the address that an agent is told. */
export const MCP_PATH = '/mcp';

/** The largest message that the MCP door reads. */
export const MAX_MESSAGE_BYTES = 256 * 1024;
