// From the start of the process to the first parsed answer.
import { report, task } from './measure.mjs';

const { connect } = await import(`./clients/${task.client}.mjs`);
const tool = await connect(task.baseUrl)();
report('start', task.subject, performance.now());
if (tool.id !== 'tool_1') throw new Error('not the record');
process.exit(0);
