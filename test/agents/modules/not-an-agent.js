export default { agent_id: 'test.subject' };
