// Calls the proxy of another origin, whose cookie the browser would send along, as a simple request that needs no preflight.
const output = document.createElement('output');
const url = decodeURIComponent(location.hash.slice(1));
const response = await fetch(url, { method: 'POST', credentials: 'include', mode: 'no-cors', body: 'text' });
output.textContent = response.type;
document.getElementById('root')?.append(output);
