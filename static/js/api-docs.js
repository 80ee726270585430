// Renders the description of the REST API.
window.SwaggerUIBundle({
  url: document.getElementById("api-docs").dataset.schema,
  dom_id: "#api-docs",
  deepLinking: true,
  // Validation would send the description to another host.
  validatorUrl: null,
  requestInterceptor(request) {
    Object.assign(request.headers, JSON.parse(document.body.getAttribute("hx-headers:inherited")));
    return request;
  },
});
