// From the start of the process to the first parsed answer.
import { cpuMicros, report, task } from './measure.mjs';

const { connect } = await import(`./clients/${task.client}.mjs`);
const tool = await connect(task.baseUrl)();
report('start', task.subject, performance.now());
report('start-cpu', task.subject, cpuMicros() / 1000);
if (tool.id !== 'tool_1') throw new Error('not the record');
process.exit(0);
