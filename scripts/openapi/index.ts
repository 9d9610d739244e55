/** Writes openapi.json, the OpenAPI document of the service. */
import { writeFileSync } from 'node:fs';
import { openApiText } from './document.js';

writeFileSync('openapi.json', openApiText());
