/** Two ids as one key that no other two ids make. */
export function conversationKey(agentId: string, convoId: string): string {
  return `${encodeURIComponent(agentId)}/${encodeURIComponent(convoId)}`;
}
