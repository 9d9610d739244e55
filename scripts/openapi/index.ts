/** Writes openapi.json, the OpenAPI document of the service. */
import { writeFileSync } from 'node:fs';
import { openApiText } from './document.js';
import { readWords } from './words.js';

writeFileSync('openapi.json', openApiText(readWords('src/index.ts')));
