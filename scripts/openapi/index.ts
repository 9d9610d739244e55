/** Writes the two OpenAPI documents: that of the service, and that of the control of the fake. */
import { writeFileSync } from 'node:fs';
import { controlOpenApiText } from './control.js';
import { openApiText } from './document.js';

writeFileSync('openapi.json', openApiText());
writeFileSync('src/testing/control/openapi.json', controlOpenApiText());
